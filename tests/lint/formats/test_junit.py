"""Reports as JUnit's XML, valid by the schema."""

import xmlschema

from resilience4cata.diagnostics import Diagnostic
from resilience4cata.facts import At

from .reports import NO_PLACE, PLAIN, SCHEMAS, UNUSUAL, render


def junit(*diagnostics: Diagnostic) -> str:
    """The document, valid by the schema."""
    text = render("junit", *diagnostics)
    xmlschema.XMLSchema(SCHEMAS / "junit-10.xsd").validate(text)
    return text


def test_junit() -> None:
    """A suite for each file, a test that failed for each finding."""
    assert """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="r4c" tests="4" failures="4" errors="0">
  <testsuite name="acme/users.py" tests="2" failures="2" errors="0" file="acme/users.py">
    <testcase name='R4C-FB-002 @fallback(method="find_fallbak") on acme.users.UserClient.find' \
classname="acme/users.py">
      <failure type="R4C-FB-002" message="acme/users.py:12:6: no method named 'find_fallbak' found">\
acme/users.py:12:6: error: [R4C-FB-002] @fallback(method="find_fallbak") on acme.users.UserClient.find:
    no method named 'find_fallbak' found
    did you mean 'find_fallback'?
    expected: def find_fallbak(self, id: str[, error: Exception]) -&gt; User
    https://resilience4cata.readthedocs.io/en/rules/R4C-FB-002.html</failure>
    </testcase>
    <testcase name='R4C-FB-002 @fallback(method="find_fallbak") on acme.users.UserClient.find (2)' \
classname="acme/users.py">
      <failure type="R4C-FB-002" message="acme/users.py:12:6: again">\
acme/users.py:12:6: error: [R4C-FB-002] @fallback(method="find_fallbak") on acme.users.UserClient.find:
    again
    https://resilience4cata.readthedocs.io/en/rules/R4C-FB-002.html</failure>
    </testcase>
  </testsuite>
  <testsuite name="pagos/a&#241;o 100%,a:b#?.py" tests="1" failures="1" errors="0" file="pagos/a&#241;o 100%,a:b#?.py">
    <testcase name="R4C-CMP-004 @a &quot;&lt;b&gt;&quot; &amp; '&#28450;' &#128512;" \
classname="pagos/a&#241;o 100%,a:b#?.py">
      <failure type="R4C-CMP-004" message="pagos/a&#241;o 100%,a:b#?.py:3:5: 100% of&#13;&#10;lines ::error:: \
&#65533;]]&gt;, ok">pagos/a&#241;o 100%,a:b#?.py:3:5: warning: [R4C-CMP-004] @a "&lt;b&gt;" &amp; '&#28450;' &#128512;:
    100% of&#13;
lines ::error:: &#65533;]]&gt;, ok
    decide
    D:/otro/m&#243;dulo.py:2:3: one &lt;source&gt;
    acme/users.py: a file
    https://resilience4cata.readthedocs.io/en/rules/R4C-CMP-004.html</failure>
    </testcase>
  </testsuite>
  <testsuite name="D:/trabajo/a b.py" tests="1" failures="1" errors="0" file="D:/trabajo/a b.py">
    <testcase name="R4C-SRC-001 unreadable-source" classname="D:/trabajo/a b.py">
      <failure type="R4C-SRC-001" message="D:/trabajo/a b.py: cannot be checked: no">\
D:/trabajo/a b.py: error: [R4C-SRC-001]
    cannot be checked: no
    https://resilience4cata.readthedocs.io/en/rules/R4C-SRC-001.html</failure>
    </testcase>
  </testsuite>
</testsuites>
""" == junit(PLAIN, PLAIN._replace(message="again", suggestions=(), expected=""), UNUSUAL, NO_PLACE)


def test_junit_is_clean() -> None:
    """One test that passed: services take a report without tests for a broken one."""
    assert """\
<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="r4c" tests="1" failures="0" errors="0">
  <testsuite name="r4c" tests="1" failures="0" errors="0">
    <testcase name="no findings" classname="r4c"/>
  </testsuite>
</testsuites>
""" == junit()


def test_junit_of_what_xml_cannot_hold() -> None:
    """Characters that XML forbids are replaced, also those of names of files in no encoding."""
    text = junit(PLAIN._replace(at=At("a\udcff.py", 1, 1), message="\0\x0b\ufffe"))
    assert ("a&#65533;.py", True) == (text[text.index('file="') + 6 : text.index('">\n    <testcase')], text.isascii())
