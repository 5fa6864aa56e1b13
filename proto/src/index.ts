export * from './gen/phonerack/host/v1/host.js'
