/** The list of tools: its size, what each tool says about itself, and the actions that it describes. */
import { actionSchemas, actionTypes } from '@phonerack/shared'
import { type z } from 'zod'
import { expect, it } from 'vitest'
import { actionsSchema } from './tools/action-schema.js'
import { tools } from './tools/index.js'
import { toolList } from './tool-list.js'

it('stays under 25,000 characters, which are about 6,000 tokens [40.21]', () => {
  expect(JSON.stringify({ tools: toolList }).length).toBeLessThan(25_000)
})

it('has the 24 tools of the interface, and those of reports, steps and the shell [40.20]', () => {
  expect(toolList.map(({ name }) => name).sort()).toEqual(
    [
      ...['list_phones', 'create_phone', 'get_phone', 'start_phone', 'park_phone', 'delete_phone', 'observe'],
      ...['act', 'reboot_phone', 'list_apps', 'search_library', 'install_app', 'uninstall_app'],
      ...['create_app_upload', 'complete_app_upload', 'live_view_url', 'hand_off', 'list_files', 'read_file'],
      ...['write_file', 'clipboard', 'set_device', 'record_screen', 'get_account'],
      ...['read_log', 'notifications', 'set_permissions', 'list_steps', 'shell'],
    ].sort(),
  )
})

it('describes each tool with title, schemas and annotations [40.22]', () => {
  for (const tool of toolList) {
    expect(tool.title).toBeTruthy()
    expect(tool.description?.length).toBeGreaterThan(40)
    expect(tool.inputSchema.type).toBe('object')
    if (tool.outputSchema)
      expect(tool.outputSchema).toMatchObject({ type: 'object', properties: { error: { type: 'object' } } })
    expect(tool.outputSchema ?? {}).not.toHaveProperty('required')
    expect(tool.annotations).toMatchObject({ readOnlyHint: expect.any(Boolean) as boolean })
  }
})

it('names the phone `phone_id` in each tool, and requires it', () => {
  const withPhone = toolList.filter(
    ({ name }) => 'phone_id' in (tools.find((tool) => tool.name === name)?.input.shape ?? {}),
  )
  expect(withPhone).toHaveLength(23)
  for (const { inputSchema } of withPhone) expect(inputSchema.required).toContain('phone_id')
})

it('describes every action, and every field of it', () => {
  const { description = '', items } = actionsSchema as { description?: string; items: { properties: object } }
  for (const type of actionTypes) {
    expect(description).toContain(type)
    for (const field of Object.keys((actionSchemas[type] as z.ZodObject).shape))
      expect(items.properties, `${type}.${field}`).toHaveProperty(field)
  }
})
