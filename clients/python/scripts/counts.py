"""Prints how many tests of a JUnit report passed, failed and were skipped. Usage: python counts.py REPORT"""

import sys
import xml.etree.ElementTree

passed = failed = skipped = 0
for suite in xml.etree.ElementTree.parse(sys.argv[1]).iter("testsuite"):
    bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    missing = int(suite.get("skipped", 0))
    passed += int(suite.get("tests", 0)) - bad - missing
    failed += bad
    skipped += missing
print(passed, failed, skipped)
