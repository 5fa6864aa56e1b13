/** A failed read never counts as clean. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ShellResult } from '../../adb/shell-protocol.js'
import {
  checkAccounts,
  checkClipboard,
  checkDefault,
  checkMark,
  checkOwnFiles,
  checkPackages,
  checkStorage,
} from './checks.js'

const result = (stdout: string, exitCode = 0, stderr = ''): ShellResult => ({
  exitCode,
  stdout: Buffer.from(stdout),
  stderr: Buffer.from(stderr),
})
const baseline = { locale: 'en-US', timezone: 'GMT', files: ['/sdcard/maker.jpg'], traces: {} }

describe('a command that failed', () => {
  it('passes no check', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 255 }), (text, exitCode) => {
        const failed = result(text, exitCode)
        expect(checkPackages(failed).passed).toBe(false)
        expect(checkAccounts(failed).passed).toBe(false)
        expect(checkStorage(failed, baseline).check.passed).toBe(false)
        expect(checkDefault('locale', failed, baseline).check.passed).toBe(false)
        expect(checkOwnFiles(failed, 'phonerack').passed).toBe(false)
        expect(checkMark(failed, result(''), 'm').passed).toBe(false)
      }),
    )
    expect(checkMark(result(''), result('', 1, 'ls: /data/x: Permission denied'), 'm').passed).toBe(false)
    expect(checkClipboard(null, false, false).passed).toBe(false)
  })
})

describe('a wiped phone', () => {
  it('passes each check', () => {
    expect(checkMark(result('\n'), result('', 1, 'ls: x: No such file or directory'), 'm').passed).toBe(true)
    expect(checkPackages(result('\n')).passed).toBe(true)
    expect(checkAccounts(result('User UserInfo{0:null:13}:\n  Accounts: 0\n')).passed).toBe(true)
    expect(
      checkStorage(result('/sdcard/maker.jpg\n/sdcard/Pictures/.nomedia\n'), baseline).check.passed,
    ).toBe(true)
    expect(checkDefault('timezone', result('GMT\n'), baseline).check.passed).toBe(true)
    expect(checkOwnFiles(result('phonerack\n'), 'phonerack').passed).toBe(true)
    expect(checkClipboard(null, true, false).passed).toBe(true)
    expect(checkClipboard('', true, false).passed).toBe(true)
  })
})

describe('a phone with traces of a tenant', () => {
  it('fails the check that detects them', () => {
    expect(checkMark(result('wipe-1\n'), result(''), 'wipe-1').passed).toBe(false)
    expect(checkMark(result('\n'), result('wipe-1\n'), 'wipe-1').passed).toBe(false)
    expect(checkPackages(result('package:com.x\n'))).toMatchObject({ passed: false, evidence: 'com.x' })
    expect(checkPackages(result('Error: something\n')).passed).toBe(false)
    expect(checkAccounts(result('Accounts: 0\nAccounts: 1\n')).passed).toBe(false)
    expect(checkAccounts(result('nothing of accounts')).passed).toBe(false)
    expect(checkStorage(result('/sdcard/Download/me.pdf\n'), baseline).check.passed).toBe(false)
    const left = '/sdcard/Download/tax.pdf\n/sdcard/secret/plan.txt\n/sdcard/Download/b.pdf\n'
    expect(checkStorage(result(left), baseline).check.evidence).toBe(
      '3 files, in Download, a folder with another name',
    )
    expect(checkDefault('locale', result('de-DE\n'), baseline).check.passed).toBe(false)
    expect(checkOwnFiles(result('phonerack\nsomething\n'), 'phonerack').passed).toBe(false)
    expect(checkClipboard('secret', true, true)).toMatchObject({
      passed: false,
      evidence: 'holds 6 characters',
    })
  })
})
