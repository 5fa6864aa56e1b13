/** The parts of a phone's output that may appear in a log. */
import { describe, expect, it } from 'vitest'
import { redactOutput } from './redact.js'

describe('redacted output of a phone', () => {
  it.each([
    ["Can't find service: testharness", "Can't find service: testharness"],
    [
      'java.lang.SecurityException: uid 2000 does not have android.permission.REBOOT',
      'java.lang.SecurityException: uid 2000 does not have android.permission.REBOOT',
    ],
    ['Failure [DELETE_FAILED_DEVICE_POLICY_MANAGER]\n', 'Failure [DELETE_FAILED_DEVICE_POLICY_MANAGER]'],
    ['rm: /sdcard/Download/tax 2025.pdf: Permission denied', 'rm: /sdcard[redacted]: Permission denied'],
    ['ls: /storage/emulated/0/a b: No such file', 'ls: /storage/emulated/0[redacted]: No such file'],
    [
      'Starting: Intent { act=android.intent.action.VIEW dat=https://a.example/?token=1 }',
      'Starting: Intent { act=android.intent.action.VIEW dat=[redacted] }',
    ],
    ['could not open https://a.example/x?y=z now', 'could not open https://[redacted] now'],
    ['account ann@example.com (com.google)', 'account [redacted] (com.google)'],
    [
      `Cannot set the element to "hunter2" or 'hunter3'`,
      `Cannot set the element to "[redacted]" or '[redacted]'`,
    ],
    [`Cannot set the element to 'it's "mine"'. Retry`, `Cannot set the element to '[redacted]'. Retry`],
    ['[server] WARN: Could not inject char u+00e9', '[server] WARN: Could not inject char u+[redacted]'],
    ['one\n\u001b[31mtwo', 'one [31mtwo'],
  ])('of %j is %j', (output, kept) => {
    expect(redactOutput(output)).toBe(kept)
  })

  it('is cut to one line of 300 characters', () => {
    expect(redactOutput('ab\n'.repeat(1000))).toHaveLength(301)
  })

  it('contains no part of a quotation that truncation leaves open', () => {
    expect(redactOutput(`no "${'hunter2 '.repeat(1000)}"`)).toBe('no "[redacted]"')
  })
})
