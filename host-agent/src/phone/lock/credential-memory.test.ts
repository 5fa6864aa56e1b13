import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createCredentialMemory } from './credential-memory.js'
import { isCredentialScreen, isSettings, parseLock } from './screens.js'

const digits = (text: string) => Array.from(text, (digit) => 7 + Number(digit))

describe('the credential memory', () => {
  it('offers a credential that was typed twice into Settings, by text or by keys', () => {
    const typed = createCredentialMemory()
    typed.sawForeground(true, 0)
    for (const text of ['PIN', '2580', '2580']) typed.typed(text, 10)
    expect(typed.candidates(20)[0]).toBe('2580')

    const keys = createCredentialMemory()
    keys.sawForeground(true, 0)
    for (const keyCode of [...digits('9912'), 67, ...digits('34'), 66, ...digits('991'), ...digits('34'), 66])
      keys.pressed(keyCode, 10)
    expect(keys.candidates(20)[0]).toBe('99134')
  })

  it('finds any text that is typed twice in a row', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9]{4,16}$/), fc.boolean(), (credential, letters) => {
        const memory = createCredentialMemory()
        memory.sawForeground(true, 0)
        for (const text of letters ? Array.from(credential + credential) : [credential, credential])
          memory.typed(text, 10)
        // A shorter text that repeats inside, such as 1212 twice, is a separate candidate.
        expect(memory.candidates(20).length).toBeLessThanOrEqual(3)
        expect(memory.candidates(20)).toContain(credential)
      }),
    )
  })

  it('forgets text typed outside Settings at the second check after it', () => {
    const memory = createCredentialMemory()
    memory.sawForeground(false, 0)
    memory.typed('password1', 10)
    expect(memory.candidates(11)).toEqual([])
    memory.sawForeground(false, 20)
    memory.sawForeground(false, 30)
    memory.sawForeground(true, 40)
    expect(memory.candidates(41)).toEqual([])
  })

  it('keeps text typed just before Settings came to the foreground', () => {
    const memory = createCredentialMemory()
    memory.sawForeground(false, 0)
    memory.typed('2580', 10)
    memory.sawForeground(false, 15)
    memory.sawForeground(true, 20)
    expect(memory.candidates(21)).toEqual(['2580'])
  })

  it('keeps a limited number of credentials that commands name', () => {
    const memory = createCredentialMemory()
    memory.commanded('locksettings set-pin 2580', 0)
    memory.commanded('locksettings set-pin 1111;'.repeat(1000), 10)
    expect(memory.candidates(20)).not.toContain('2580')
  })

  it('forgets after two minutes, and when `forget` is called', () => {
    const memory = createCredentialMemory()
    memory.sawForeground(true, 0)
    memory.typed('2580', 0)
    expect(memory.candidates(119_999)).toEqual(['2580'])
    expect(memory.candidates(120_000)).toEqual([])
    memory.forget()
    expect(memory.candidates(1)).toEqual([])
  })
})

describe('a screen that sets a lock', () => {
  const at = (name: string, activity: string) => ({ package: name, activity })

  it.each([
    ['com.android.settings', 'com.android.settings.password.ChooseLockGeneric'],
    ['com.android.settings', 'com.android.settings.password.ChooseLockGeneric$InternalActivity'],
    ['com.android.settings', 'com.android.settings.password.ChooseLockPassword'],
    ['com.android.settings', 'com.android.settings.password.ChooseLockPattern'],
    ['com.android.settings', 'com.android.settings.password.ConfirmLockPassword$InternalActivity'],
    ['com.android.settings', 'com.android.settings.password.SetNewPasswordActivity'],
    ['com.android.settings', 'com.android.settings.SetupChooseLockPassword'],
    ['com.android.settings', 'com.android.settings.MiuiSecurityChooseUnlock'],
    ['com.android.settings', 'com.android.settings.biometrics.fingerprint.FingerprintEnrollIntroduction'],
  ])('is %s/%s', (name, activity) => {
    expect(isCredentialScreen(at(name, activity))).toBe(true)
    expect(isSettings(at(name, activity))).toBe(true)
  })

  it.each([
    ['com.android.settings', 'com.android.settings.SubSettings'],
    ['com.android.settings', 'com.android.settings.Settings$LockScreenSettingsActivity'],
    ['com.example.settings', 'com.example.settings.ChooseLockGeneric'],
    ['com.android.chrome', 'com.google.android.apps.chrome.Main'],
  ])('is not %s/%s', (name, activity) => {
    expect(isCredentialScreen(at(name, activity))).toBe(false)
  })

  it('reads the lock state from CredentialType', () => {
    expect(parseLock('User 0\n    CredentialType: NONE\n')).toBe(false)
    expect(parseLock('User 0\n    CredentialType: PASSWORD_OR_PIN\n')).toBe(true)
    // Forms: user 999 of dual apps and user 10 of a work profile, in both orders.
    const of = (id: number, type: string) => `User ${id}\n    SP Handle: 0\n    CredentialType: ${type}\n`
    for (const type of ['NONE', 'PIN', 'PATTERN'])
      for (const users of [
        [of(0, type), of(10, 'PASSWORD'), of(999, 'NONE')],
        [of(999, 'PIN'), of(0, type)],
      ])
        for (const end of ['\n', '\r\n'])
          expect(parseLock(users.join('').replaceAll('\n', end)), users.join('')).toBe(type !== 'NONE')
    expect(parseLock(of(10, 'PIN'))).toBeNull()
    expect(parseLock("Can't find service: lock_settings\n")).toBeNull()
  })
})
