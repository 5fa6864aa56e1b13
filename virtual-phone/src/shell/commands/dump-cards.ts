/**
 * The cards in the phone's slots: `dumpsys isub`, `sm list-disks` and `list-volumes`. Forms: AOSP 14
 * `SubscriptionManagerService`, `Sm`.
 */
import type { Android } from '../../android/android.js'
import { type CommandIo, type CommandTable, UsageError } from '../command.js'

export function dumpSubscriptions({ userData: { sim, esimProfiles } }: Android): string {
  const row = (id: number, slot: number, embedded: boolean): string =>
    `    [SubscriptionInfoInternal: id=${id} iccId=8949[****] simSlotIndex=${slot} portIndex=0 isEmbedded=${embedded ? 1 : 0} isRemovableEmbedded=0 carrierId=-1 displayName=Test carrierName=Test isOpportunistic=0]\n`
  const rows = [
    ...(sim === null ? [] : [row(1, 0, false)]),
    ...Array.from({ length: esimProfiles }, (_, index) => row(index + 2, -1, true)),
  ]
  const embedded = Array.from({ length: esimProfiles }, (_, index) => index + 2)
  return `SubscriptionManagerService:
  Active modem count=2
  Active subscriptions:
${rows.slice(0, sim === null ? 0 : 1).join('')}  All subscriptions:
${rows.join('')}  Embedded subscriptions: [${embedded.join(', ')}]
  Opportunistic subscriptions: []
`
}

async function sm(io: CommandIo): Promise<number> {
  const { memoryCard } = io.android.userData
  const [verb, kind = 'all'] = io.args
  if (verb === 'list-disks') {
    if (memoryCard) await io.out('disk:179,64\n')
    return 0
  }
  if (verb !== 'list-volumes') throw new UsageError('usage: sm list-disks [adoptable]')
  const volumes = [
    ['private', 'private mounted null'],
    ...(memoryCard ? [['public', 'public:179,65 mounted 1A2B-3C4D']] : []),
    ['emulated', 'emulated;0 mounted null'],
  ]
  for (const [type, line] of volumes) if (kind === 'all' || kind === type) await io.out(`${line}\n`)
  return 0
}

/**
 * Supports only the content provider of messages: the phone has no messages, and the SIM has a set number.
 */
export async function content(io: CommandIo): Promise<number> {
  const { sim } = io.android.userData
  const [verb] = io.args
  const uri = io.args[io.args.indexOf('--uri') + 1] ?? ''
  const onSim = /^content:\/\/sms\/icc(?:\/\d+)?$/.test(uri)
  if (verb === 'delete' && onSim) {
    if (sim !== null) sim.messages = Math.max(0, sim.messages - 1)
    io.android.changed()
    return 0
  }
  if (verb === 'query' && (onSim || uri === 'content://sms')) {
    const count = onSim ? (sim?.messages ?? 0) : 0
    const rows = Array.from({ length: count }, (_, row) => `Row: ${row} index_on_icc=${row + 1}\n`)
    await io.out(count === 0 ? 'No result found.\n' : rows.join(''))
    return 0
  }
  await io.err('content: this phone is virtual and has no content providers\n')
  return 1
}

/** Returns the output of `dumpsys telephony.registry`, with two slots; only the first accepts a card. */
export const dumpTelephonyRegistry = ({ userData: { sim } }: Android): string =>
  `last known state:
  Phone Id=0
    mCallState=0
    mCallForwarding=${sim?.forwards ?? false}
  Phone Id=1
    mCallState=0
    mCallForwarding=false
`

export const cardCommands: CommandTable = { sm }
