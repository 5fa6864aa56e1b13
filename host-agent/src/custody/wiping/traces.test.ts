/** A failed or unrecognised read never counts as clean. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkTrace, traces, type Trace } from './traces.js'

const result = (stdout: string, exitCode = 0, stderr = '') => ({
  exitCode,
  stdout: Buffer.from(stdout),
  stderr: Buffer.from(stderr),
})
const trace = (name: string): Trace => {
  const found = traces.find((each) => each.name === name)
  if (!found) throw new Error(name)
  return found
}
const passes = (name: string, stdout: string, known: string[] | null = []): boolean =>
  checkTrace(trace(name), result(stdout), known).check.passed

describe('a trace', () => {
  it('is not clean when its command is missing', () => {
    for (const each of traces) {
      const missing = result('', 127, 'sh: inaccessible or not found')
      expect(checkTrace(each, missing, []).check, each.name).toMatchObject({ passed: false })
      expect(checkTrace(each, result('', 255, "cmd: Can't find service"), null).check.passed).toBe(false)
    }
  })

  it('is not clean when a phone gives an unknown answer', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z ]{1,40}$/), (words) => {
        for (const name of ['users', 'lock_credential', 'device_admins', 'wifi_networks', 'settings'])
          expect(passes(name, words)).toBe(false)
      }),
    )
  })

  it('of a vendor is recorded at the first wipe, and no other trace is accepted later', () => {
    const list = 'com.android.inputmethod.latin/.LatinIME\ncom.android.inputmethod.latin/.LatinIME\n'
    const first = checkTrace(trace('input_methods'), result(list), null)
    expect(first).toMatchObject({
      check: { passed: true },
      found: ['com.android.inputmethod.latin/.LatinIME'],
    })
    expect(passes('input_methods', list, first.found)).toBe(true)
    expect(passes('input_methods', `com.spy/.Keys:${list}`, first.found)).toBe(false)
  })

  it('that no maker leaves is refused even at the first wipe', () => {
    expect(passes('vpn', 'com.example.vpn\nCurrent Networks:\n', null)).toBe(false)
    expect(passes('vpn', 'null\nNetworkAgentInfo{ni{VPN CONNECTED extra: VPN:x}}\n', null)).toBe(false)
    expect(passes('vpn', 'null\nCurrent Networks:\n', null)).toBe(true)
    expect(passes('ca_certificates', '9a5ba575.0\n', null)).toBe(false)
    expect(passes('wifi_networks', 'Network Id   SSID\n0            Home     wpa2-psk\n', null)).toBe(false)
    expect(passes('wifi_networks', 'No networks\n', null)).toBe(true)
  })

  it('is read from forms that phones print', () => {
    expect(passes('users', 'Users:\n\tUserInfo{0:Owner:4c13} running\n')).toBe(true)
    expect(passes('users', 'Users:\n\tUserInfo{0:Owner:c13} running\n\tUserInfo{10:Guest:414}\n')).toBe(false)
    expect(passes('lock_credential', 'Lock credential verified successfully\n')).toBe(true)
    expect(passes('lock_credential', "Old password '' didn't match\n")).toBe(false)
    const owner = 'Current Device Policy Manager state:\n  Device Owner:\n    admin=ComponentInfo{a/b}\n'
    expect(passes('device_admins', owner)).toBe(false)
    // Form: Samsung, Android 16, without an owner.
    expect(passes('device_admins', 'Current Device Policy Manager state:\n  Device Owner Type: -1\n')).toBe(
      true,
    )
    const certificates = checkTrace(
      trace('ca_certificates'),
      result('', 1, 'ls: /data/misc/user/0/cacerts-added: No such file or directory'),
      [],
    )
    expect(certificates.check.passed).toBe(true)
    const denied = result('', 1, 'ls: /data/misc/user/0/cacerts-added: Permission denied')
    expect(checkTrace(trace('ca_certificates'), denied, []).check.passed).toBe(false)
  })
})
