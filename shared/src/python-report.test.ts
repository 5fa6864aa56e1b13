/** Tests how `./scripts/test` counts the checks of the Python SDK. */
import { expect, it } from 'vitest'
import { readReport } from '../../scripts/lib/python.mjs'

it('counts tests, and names those that failed or were skipped', () => {
  const output = [
    ...['skipped: mypy --strict, since mypy or httpx is missing', '.F.s'],
    'SKIPPED [2] tests/test_service.py:30: a running service is needed',
    ...['FAILED tests/test_cancel.py::test_ends - assert 1 == 2', '7 passed, 1 failed, 3 skipped', ''],
  ].join('\n')
  expect(readReport(output, false)).toEqual({
    passed: 7,
    failed: ['python: tests/test_cancel.py::test_ends - assert 1 == 2'],
    skipped: [
      'python: mypy --strict, since mypy or httpx is missing',
      'python: [2] tests/test_service.py:30: a running service is needed',
    ],
    skippedCount: 3,
  })
})

it('does not fail when every check is skipped', () => {
  expect(
    readReport('skipped: all checks, since python3 is missing\n0 passed, 0 failed, 1 skipped\n', true),
  ).toMatchObject({ passed: 0, failed: [], skippedCount: 1 })
})

it('counts a run without counts, or one that fails without a failed check, as failed', () => {
  expect(readReport('check.sh: line 3: syntax error\n', false).failed).toEqual([
    'python: ended badly: check.sh: line 3: syntax error',
  ])
  expect(readReport('3 passed, 0 failed, 0 skipped\n', false).failed).toEqual(['python: ended badly'])
})
