"""What connects the library to others; each module needs the library that it is named after."""
