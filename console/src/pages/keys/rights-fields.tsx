/** The rights of a key or a connector: the fields `preset` and `profile` of a form. */
import { type Preset, type Profile } from '../../api/projects'
import { SelectField } from '../../ui/field'

const presets = {
  agent: 'Agent: rents and uses phones',
  admin: 'Admin: also deletes phones',
  'read-only': 'Read-only: sees phones',
} as const satisfies Record<Preset, string>

const profiles = {
  full: 'Full: all that its rights allow',
  guarded: 'Guarded: people sign in and pay',
  'read-only': 'Read-only: changes nothing',
} as const satisfies Record<Profile, string>

export const RightsFields = ({ preset = 'agent' }: { preset?: Preset }) => (
  <>
    <SelectField label="Rights" name="preset" defaultValue={preset}>
      {Object.entries(presets).map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </SelectField>
    <SelectField
      label="Profile"
      name="profile"
      defaultValue="full"
      hint="A guarded agent must hand over to a person for passwords and purchases."
    >
      {Object.entries(profiles).map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </SelectField>
  </>
)
