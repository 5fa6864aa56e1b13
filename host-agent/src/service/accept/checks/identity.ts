/** The phone's identity, and an agent that is restarted with the records of the earlier agent. */
import { isProven, newId, newNonce, ownNow, type Progress } from '@phonerack/shared'
import { command } from '../../../adb/quote.js'
import { identityFile } from '../../../devices/supervision/phone-identity.js'
import { Failed, type Check } from '../check.js'
import { timed, type PhoneUnderTest } from '../phone.js'
import { healthyAgain } from './recovery.js'
import { observeScreen } from './screen.js'

/**
 * Asks the phone to sign a challenge, as for a phone that is listed at another host.
 * @returns the phone's public key
 */
async function provenIdentity(phone: PhoneUnderTest, progress: Progress): Promise<string> {
  const claim = { nonce: newNonce(), hostId: newId('host') }
  const { identity, signature } = await phone.gate().prove(claim, progress)
  if (!isProven({ ...claim, identity, serial: phone.serial }, signature))
    throw new Failed('the signature does not fit the identity that the phone carries')
  return identity
}

export const identity: Check = {
  name: 'identity',
  claim: 'The phone is recognised by its key, whose file only the shell user can read.',
  needs: ['enrolment'],
  limitMs: 60_000,
  async run(phone, progress) {
    const { result: key, ms } = await timed(() => provenIdentity(phone, progress))
    const transport = await phone.transport(progress)
    const listed = await transport.shell(command('ls', '-l', identityFile), progress)
    const line = listed.stdout.toString('utf8').trim()
    const evidence = [`public key ${key}`, line]
    const [rights = '', , owner = ''] = line.split(/\s+/)
    // A phone with SELinux labels in its list adds a dot or a plus.
    if (!/^-rw-------[.+]?$/.test(rights) || owner !== 'shell')
      throw new Failed(`the file of the key is ${rights} of ${owner}, not -rw------- of shell`, { evidence })
    return { evidence, times: { proof: ms } }
  },
}

/** Milliseconds within which a phone must be healthy after the start of an agent, so that no session ends. */
const restartLimitMs = 30_000

export const agentRestart: Check = {
  name: 'agent_restart',
  claim: `After a restart of the agent and its adb server the phone is healthy within ${restartLimitMs / 1000} s, with its data.`,
  needs: ['start', 'identity'],
  limitMs: 120_000,
  async run(phone, progress) {
    const before = await provenIdentity(phone, progress)
    const startedAt = await phone.restartAgent()
    await healthyAgain(phone, progress.within(restartLimitMs))
    const ms = Math.round(ownNow() - startedAt)
    const { elements } = await observeScreen(phone, progress)
    const after = await provenIdentity(phone, progress)
    const evidence = [`${elements.length} elements after the restart`]
    if (after !== before) throw new Failed('the phone has another identity', { evidence })
    return { evidence, times: { healthy: ms } }
  },
}
