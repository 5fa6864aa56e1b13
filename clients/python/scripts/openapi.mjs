// Prints the API's OpenAPI document. Needs a build of the control plane.
import process from 'node:process'
import { openApiDocument } from '@phonerack/control-plane/openapi'

process.stdout.write(JSON.stringify(await openApiDocument('https://phonerack.invalid')))
