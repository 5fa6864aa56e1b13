/** Golden bytes of the sync protocol. */
import { describe, expect, it } from 'vitest'
import type { Stat } from '../fs/inode.js'
import {
  encodeEntry1,
  encodeEntry2,
  encodeFail,
  encodeListEnd,
  encodeStat1,
  encodeStat2,
  ExactReader,
} from './sync-packet.js'

const stat: Stat = {
  kind: 'file',
  ino: 7,
  mode: 0o100644,
  uid: 2000,
  gid: 2000,
  size: 258,
  mtimeMs: 1_700_000_000_500,
  nlink: 1,
}
const fields2 =
  '00000000' +
  '0100000000000000' +
  '0700000000000000' +
  'a4810000' +
  '01000000' +
  'd0070000' +
  'd0070000' +
  '0201000000000000' +
  '00f1536500000000'.repeat(3)

describe('sync messages', () => {
  it('STAT, version 1', () => {
    expect(encodeStat1(stat).toString('hex')).toBe('53544154' + 'a4810000' + '02010000' + '00f15365')
    expect(encodeStat1(null).toString('hex')).toBe('53544154' + '00'.repeat(12))
  })

  it('STA2 is 72 bytes, with an error number', () => {
    expect(encodeStat2('STA2', stat, 0).toString('hex')).toBe('53544132' + fields2)
    expect(encodeStat2('LST2', null, 2).toString('hex')).toBe('4c535432' + '02000000' + '00'.repeat(64))
  })

  it('entries, ends and failures', () => {
    expect(encodeEntry1('ab', stat).toString('hex')).toBe(
      '44454e54' + 'a4810000' + '02010000' + '00f15365' + '02000000' + '6162',
    )
    expect(encodeEntry2('ab', stat, 0).toString('hex')).toBe('444e5432' + fields2 + '02000000' + '6162')
    expect(encodeListEnd(1)).toHaveLength(20)
    expect(encodeListEnd(2)).toHaveLength(76)
    expect(encodeFail('no').toString('hex')).toBe('4641494c' + '02000000' + '6e6f')
  })

  it('reads exact counts for any chunking', async () => {
    const chunks = [Buffer.from('SEN'), Buffer.from('D\x03\x00\x00'), Buffer.from('\x00abcQUIT\0\0\0\0')]
    const reader = new ExactReader({ read: () => Promise.resolve(chunks.shift() ?? null) })
    expect(await reader.header()).toEqual({ id: 'SEND', value: 3 })
    expect((await reader.read(3))?.toString()).toBe('abc')
    expect(await reader.header()).toEqual({ id: 'QUIT', value: 0 })
    expect(await reader.header()).toBeNull()
  })
})
