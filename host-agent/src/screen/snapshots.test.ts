import { describe, expect, it } from 'vitest'
import { dumpXml } from '../testing/screen-xml.js'
import { buildTree } from './elements.js'
import { parseNodes } from './nodes.js'
import { createSnapshotStore } from './snapshots.js'

const { elements } = buildTree(
  parseNodes(dumpXml({ text: 'A', bounds: [0, 0, 100, 100] }, { text: 'B', bounds: [0, 100, 100, 200] })),
  { width: 1080, height: 2400 },
)

function store(changes = {}) {
  let time = 1_000_000
  const created = createSnapshotStore({ now: () => new Date(time) }, changes)
  const later = (ms: number): void => {
    time += ms
  }
  return { created, later }
}

const owner = { phoneId: 'ph_a', fencingNumber: 7n }

describe('snapshots', () => {
  it('live for 15 minutes [20.42, 28.5]', () => {
    const { created, later } = store()
    const snapshots = created.of(owner)
    const id = snapshots.save(elements, 1)
    expect(id).toMatch(/^snp_[a-z2-7]{12}$/)
    later(15 * 60_000 - 1)
    expect(snapshots.find(id)?.elements[1]?.text).toBe('B')
    later(1)
    expect(snapshots.find(id)).toBeNull()
    snapshots.save([], 1)
    expect(created.size.snapshots).toBe(1)
  })

  it('belong to one assignment [28.6]', () => {
    const { created } = store()
    const id = created.of(owner).save(elements, 1)
    expect(created.of({ ...owner }).find(id)?.elements[0]?.text).toBe('A')
    expect(created.of({ ...owner, fencingNumber: 8n }).find(id)).toBeNull()
    expect(created.of({ ...owner, phoneId: 'ph_b' }).find(id)).toBeNull()
    created.forget('ph_b')
    expect(created.size.snapshots).toBe(1)
    created.forget('ph_a')
    expect(created.size).toEqual({ snapshots: 0, bytes: 0 })
  })

  it('stay within their limits, the oldest are removed first', () => {
    const { created } = store({ perPhone: 3 })
    const snapshots = created.of(owner)
    const other = created.of({ ...owner, phoneId: 'ph_b' }).save(elements, 1)
    const ids = [1, 2, 3, 4, 5].map(() => snapshots.save(elements, 1))
    expect(ids.map((id) => snapshots.find(id) !== null)).toEqual([false, false, true, true, true])
    expect(created.of({ ...owner, phoneId: 'ph_b' }).find(other)).not.toBeNull()

    const small = store({ bytesPerPhone: 2000 }).created
    for (let count = 0; count < 50; count += 1) small.of(owner).save(elements, 1)
    expect(small.size.bytes).toBeLessThanOrEqual(2000)
    expect(small.size.snapshots).toBeGreaterThan(0)
  })

  it('of one phone never displace snapshots of another phone', () => {
    const { created, later } = store()
    const quiet = { phoneId: 'ph_quiet', fencingNumber: 1n }
    const id = created.of(quiet).save(elements, 1)
    later(15 * 60_000 - 2)
    // The largest allowed screen: far more than all phones together may keep.
    const large = Array.from({ length: 500 }, (_, index) => ({
      ...(elements[0] ?? { ref: 0 }),
      ref: index,
      text: 'x'.repeat(1000),
    })) as typeof elements
    for (let count = 0; count < 200; count += 1) created.of(owner).save(large, 1)
    expect(created.of(quiet).find(id)?.elements[1]?.text).toBe('B')
    expect(created.size.bytes).toBeLessThan(9_000_000)
    created.forget(owner.phoneId)
    expect(created.size.snapshots).toBe(1)
    later(2)
    created.of(owner).save([], 1)
    expect(created.size.snapshots).toBe(1)
  })
})
