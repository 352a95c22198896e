"""Whatever stands in a file, a front end answers with findings, never with a traceback."""
