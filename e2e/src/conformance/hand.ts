/** A person's input on a rented phone, without a page. */
import { openLive, type LiveSocket } from '../system/live-socket.js'
import { type Rented } from './rented.js'

/** Returns once there is a picture: from then on, the phone accepts input. */
export async function openHand(phone: Rented): Promise<Pick<LiveSocket, 'picture' | 'send' | 'close'>> {
  const live = await openLive(phone)
  await live.above(0)
  return live
}
