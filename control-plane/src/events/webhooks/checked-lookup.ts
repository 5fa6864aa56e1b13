/** Resolves a name for a connection, which then uses an address that was checked. Also used for identity providers. */
import { isIP, type LookupFunction } from 'node:net'
import { type Lookup } from './system-lookups.js'

export class AddressNotAllowed extends Error {}

/** Refuses a name if any of its addresses is not allowed, since the name may resolve to that address next. */
export const checkedLookup =
  (resolve: Lookup, isAllowed: (address: string) => boolean): LookupFunction =>
  (name, options, callback) => {
    resolve(name).then(
      (addresses) => {
        const [first] = addresses
        if (first === undefined || !addresses.every(isAllowed))
          return callback(new AddressNotAllowed(`${name} has an address that is not allowed`), '')
        if (options.all === true)
          callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          )
        else callback(null, first, isIP(first))
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), ''),
    )
  }
