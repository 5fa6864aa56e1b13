/** Looks names up for a connection, which then goes to an address that was checked. Also for identity providers. */
import { isIP, type LookupFunction } from 'node:net'
import { type Lookup } from './system-lookups.js'

export class AddressNotAllowed extends Error {}

/** One address that is not allowed refuses the name: it is about to lead elsewhere. */
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
