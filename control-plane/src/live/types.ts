import { type Caller } from '../core/caller.js'

/** Links by which anyone sees and, unless it is for watching only, controls a phone in a browser, without a key. */
export interface LiveService {
  /**
   * A link to a ready phone; it ends with the phone's session too. Only a hash of its token is kept.
   * @param input `expiresIn` in seconds
   */
  createLink(
    caller: Caller,
    phoneId: string,
    input: { expiresIn: number; control: boolean },
  ): Promise<{ url: string; expiresAt: Date }>
}
