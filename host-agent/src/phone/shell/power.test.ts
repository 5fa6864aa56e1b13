import { Progress } from '@phonerack/shared'
import { describe, expect, it } from 'vitest'
import type { Transport } from '../../adb/transport.js'
import { InvalidAnswer } from '../../base/device-gone.js'
import { createPower } from './power.js'

/** Answers each check with the phone's current state. */
function phone() {
  const state = { says: 'mWakefulness=Awake', looks: 0 }
  const shell: Transport['shell'] = () => {
    state.looks += 1
    const stdout = Buffer.from(state.says)
    return Promise.resolve({ exitCode: 0, stdout, stderr: Buffer.alloc(0) })
  }
  const power = createPower({ shell } as Transport)
  return { state, power, isOn: () => power.isOn(Progress.for(1000)) }
}

describe('a restart', () => {
  it('is not confirmed by invalid bytes', async () => {
    const shell: Transport['shell'] = (order) =>
      /boot_id/.test(order) && order !== first
        ? Promise.reject(new InvalidAnswer('a phone'))
        : Promise.resolve({ exitCode: 0, stdout: Buffer.from('one'), stderr: Buffer.alloc(0) })
    let first = ''
    let looks = 0
    const counted: Transport['shell'] = (order, progress) => {
      looks += 1
      first = looks === 1 ? order : ''
      return shell(order, progress)
    }
    const restart = createPower({ shell: counted } as Transport).reboot(Progress.for(1000))
    await expect(restart).rejects.toMatchObject({ code: 'action_outcome_unknown' })
    expect(looks).toBeGreaterThan(3)
  })
})

describe('cached screen state', () => {
  it('is kept while the screen is on, until a key may have changed it', async () => {
    const { state, power, isOn } = phone()
    expect([await isOn(), await isOn(), state.looks]).toEqual([true, true, 1])
    state.says = 'mWakefulness=Asleep'
    power.forget()
    expect([await isOn(), state.looks]).toEqual([false, 2])
  })

  it('is never kept while the screen is off or its state unknown', async () => {
    const { state, isOn } = phone()
    state.says = 'mWakefulness=Dozing'
    expect(await isOn()).toBe(false)
    state.says = ''
    expect(await isOn()).toBeNull()
    state.says = 'mWakefulness=Dreaming'
    expect([await isOn(), state.looks]).toEqual([true, 3])
  })
})
