/** The guard of keys with the profile `guarded`, in the stores and wallets of this phone. */
import { storePackages, walletPackages } from '@phonerack/shared'
import { need } from '../../grpc/call.js'
import { Failed, type Check } from '../check.js'
import { timed } from '../phone.js'
import { runActions, tryActions } from './screen.js'
import { openSearch, typedText } from './text.js'

const listed: ReadonlySet<string> = new Set([...storePackages, ...walletPackages])
const typed = 'guarded text'

export const guard: Check = {
  name: 'guard',
  claim:
    'The profile `guarded` refuses touches in the stores and wallets of the phone that open, and types into a search field.',
  needs: ['text'],
  limitMs: 180_000,
  async run(phone, progress) {
    const apps = await phone
      .gate()
      .read(phone.caller(), progress, (device, within) => need(device.packages, 'apps').list(within))
    const names = apps.map((app) => app.package).filter((name) => listed.has(name))
    const evidence: string[] = []
    let tried = 0
    for (const name of names) {
      const [opened] = await tryActions(phone, [{ type: 'open_app', package: name }], progress)
      if (opened?.ok !== true) {
        evidence.push(`${name} does not open: ${opened?.error?.code ?? 'unknown'}`)
        continue
      }
      // The guard refuses this tap before it is sent.
      const tap = { type: 'tap', target: { x: 1, y: 1 } } as const
      const [result] = await tryActions(phone, [tap], progress, true)
      const code = result?.error?.code ?? 'no error'
      if (code !== 'handoff_required')
        throw new Failed(`a touch in ${name} has ${code}, not handoff_required`, { evidence })
      evidence.push(`${name}: a touch is refused`)
      tried += 1
    }
    if (tried === 0) evidence.push('no store or wallet was tried')
    await runActions(phone, [{ type: 'home' }], progress)
    await openSearch(phone, progress)
    const { result, ms } = await timed(() =>
      tryActions(phone, [{ type: 'type', text: typed, clear: true }], progress, true),
    )
    const seen = await typedText(phone, progress)
    if (result[0]?.ok !== true || seen !== typed)
      throw new Failed(`typing into a search field: ${result[0]?.error?.code ?? `the field has “${seen}”`}`, {
        evidence,
      })
    return { evidence, times: { typed: ms } }
  },
}
