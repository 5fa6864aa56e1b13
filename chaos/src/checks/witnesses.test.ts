import type { Witnessed } from '@phonerack/virtual-phone'
import { describe, expect, it } from 'vitest'
import { judgeWitness } from './witnesses.js'

const a = 'ph_aaaaaaaaaaaa'
const b = 'ph_bbbbbbbbbbbb'
const c = 'ph_cccccccccccc'
const tenants: Record<string, string> = { [a]: 'one', [b]: 'two', [c]: 'one' }
const at = '2026-01-01T00:00:00.000Z'
const wipe: Witnessed = { at, what: 'wipe' }
const move = (phone: string, n: number): Witnessed => ({
  at,
  what: 'command',
  argv: ['mv', '-f', '/sdcard/.part', `/sdcard/Download/chaos-${phone}-${n}.txt`],
})
const judge = (...lines: Witnessed[]) =>
  judgeWitness('5001', lines, (phone) => tenants[phone]).map(({ rule }) => rule)

describe('the record of a virtual phone', () => {
  it('accepts two phones with a wipe between them', () => {
    expect(judge(wipe, move(a, 1), move(a, 2), wipe, move(b, 1), wipe, move(a, 3))).toEqual([])
  })
  it('shows a second tenant without a wipe', () => {
    expect(judge(wipe, move(a, 1), move(b, 1))).toEqual(['a device served two tenants'])
  })
  it('shows another phone of the tenant without a wipe', () => {
    expect(judge(move(a, 1), move(c, 1))).toEqual(['a device was handed on unwiped'])
  })
  it('shows a write that arrived twice, and accepts several programs of one write', () => {
    const scan: Witnessed = {
      at,
      what: 'command',
      argv: ['am', 'broadcast', '-d', `file:///chaos-${a}-1.txt`],
    }
    expect(judge(move(a, 1), scan)).toEqual([])
    expect(judge(move(a, 1), scan, move(a, 1))).toEqual(['a write was sent twice'])
  })
})
