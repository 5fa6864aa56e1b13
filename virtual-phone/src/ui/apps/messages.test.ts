/** Messages, used on the screen. */
import { expect, it } from 'vitest'
import { createWorld } from '../index.js'
import { MESSAGES } from './messages.js'

it('posts a notification when Echo is asked for a notification [42.50]', () => {
  const world = createWorld()
  const open = { package: MESSAGES, className: 'com.phonerack.messages.ConversationActivity' }
  world.startActivity({ component: open, action: 'open', categories: [], extras: { thread: 'Echo' } })
  const centre = (id: string): [number, number] => {
    const [, left, top, right, bottom] =
      new RegExp(
        `resource-id="${MESSAGES}:id/${id}"[^>]*bounds="\\[(\\d+),(\\d+)\\]\\[(\\d+),(\\d+)\\]"`,
      ).exec(world.hierarchyXml()) ?? []
    return [(Number(left) + Number(right)) / 2, (Number(top) + Number(bottom)) / 2]
  }
  const tap = (id: string): void => {
    const [x, y] = centre(id)
    world.touch('down', 0, x, y)
    world.touch('up', 0, x, y)
  }
  tap('compose_message_text')
  world.commitText('Notify: tea is ready')
  tap('send_message_button')
  expect(world.notifications.map(({ package: name, title, text }) => [name, title, text])).toEqual([
    [MESSAGES, 'Echo', 'tea is ready'],
  ])
  world.close()
})
