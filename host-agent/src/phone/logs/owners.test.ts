/** The apps of users and processes in the log. */
import { expect, it } from 'vitest'
import { ownersOf } from './owners.js'

const owners = ownersOf(`package:com.example.shop uid:10212
package:com.android.settings uid:1000
package:android uid:1000
package:com.example.two uid:10213,1010213
  PID NAME
    1 init
 1422 system_server
 5120 com.example.shop:sync
 6000 com.android.settings
`)

it('finds an app by its user, even when its process has ended', () => {
  expect(owners.of(10_212, 99)).toBe('com.example.shop')
  expect(owners.of(10_213, 99)).toBe('com.example.two')
  expect(owners.of(1_010_213, 99)).toBe('com.example.two')
})

it('finds an app that shares its user only by its process', () => {
  expect(owners.of(1000, 6000)).toBe('com.android.settings')
  expect(owners.of(1000, 1422)).toBeNull()
  expect(owners.of(1000, 5120)).toBeNull()
})

it('does not find apps of other users', () => {
  expect(owners.of(0, 1)).toBeNull()
  expect(owners.of(99_001, 5120)).toBeNull()
})
