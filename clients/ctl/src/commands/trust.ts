/** The progress of hosts in a rotation of the certificate authority, for people. docs/decisions/0249 */
import type { Host, HostRotation } from '../operator/client.js'

type Rotating = Pick<Host, 'authority_rotation'>

const texts: Record<HostRotation['trust'], string> = {
  unreported: 'not reported',
  earlier: 'the earlier authority',
  both: 'both',
  renewed: 'both, renewed',
}

/** The authorities that a host trusts; null: no rotation is open, or the control plane is older. */
export function trustOf({ authority_rotation: rotation }: Rotating): string | null {
  if (!rotation) return null
  return `${texts[rotation.trust]} (${rotation.is_ready ? 'ready' : 'not ready'})`
}

const steps: Record<HostRotation['phase'], { name: string; state: string }> = {
  begun: { name: 'switch', state: 'trust the next authority' },
  switched: { name: 'finish', state: 'have a certificate of the new authority' },
}

/** A line about the rotation while one is open. */
export function rotationLines(hosts: readonly Rotating[]): string[] {
  const rotations = hosts.flatMap(({ authority_rotation: rotation }) => rotation ?? [])
  const [first] = rotations
  if (first === undefined) return []
  const { name, state } = steps[first.phase]
  const ready = rotations.filter(({ is_ready: isReady }) => isReady).length
  const next =
    ready === rotations.length
      ? `Check the replicas with \`rotate-authority status\`, then run \`rotate-authority ${name}\`.`
      : `Wait for the other hosts, or connect them, before \`rotate-authority ${name}\`.`
  return [
    `A rotation of the certificate authority is open: ${ready} of ${rotations.length} hosts ${state}. ${next}`,
  ]
}
