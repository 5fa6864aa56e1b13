/** Options that turn the routes' schemas into the OpenAPI description. */
import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import { secretPrefixes } from '@phonerack/shared'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { finishDocument } from './finish.js'

export const openApiOptions = (baseUrl: string): FastifyDynamicSwaggerOptions => ({
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Phonerack',
      version: '1.0.0',
      description: 'Rents real Android phones to software agents.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'phones', description: 'Create, list, start, park and delete phones.' },
      { name: 'screen', description: 'Read and use the screen of a ready phone.' },
      {
        name: 'apps',
        description:
          'Manage the apps of a ready phone with their permissions, crashes and notifications, the app library, and APK uploads.',
      },
      { name: 'files', description: 'Manage files in the shared storage of a ready phone.' },
      { name: 'device', description: 'Change settings of a ready phone, read its log, and restart it.' },
      { name: 'recordings', description: 'Record the screen of a ready phone as a video.' },
      { name: 'steps', description: 'List and export the steps of a phone.' },
      { name: 'handoffs', description: 'Ask a person to do something on a ready phone.' },
      {
        name: 'events',
        description: 'Receive events as a list, as a stream, or by requests to your webhooks.',
      },
      { name: 'account', description: 'Read credit and limits, and buy credit.' },
      { name: 'setup', description: 'Get a first API key for a terminal.' },
    ],
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: `A project's API key: \`${secretPrefixes.apiKey}\` and 43 characters.`,
        },
      },
    },
  },
  // The description omits routes for operators and hosts.
  transform: (document) =>
    document.url.startsWith('/v1/')
      ? jsonSchemaTransform(document)
      : { schema: { hide: true }, url: document.url },
  transformObject: (document) => finishDocument(jsonSchemaTransformObject(document)),
})
