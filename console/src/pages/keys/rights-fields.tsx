/** The rights of a key or a connector: the fields `preset`, `profile` and `expires` of a form. */
import { type Expiry, type Preset, type Profile } from '../../api/types'
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

const expiries = {
  '30d': '30 days',
  '90d': '90 days',
  '1y': '1 year',
  never: 'Never',
} as const satisfies Record<Expiry, string>

export const ExpiryField = () => (
  <SelectField label="Expires" name="expires" defaultValue="90d">
    {Object.entries(expiries).map(([value, name]) => (
      <option key={value} value={value}>
        {name}
      </option>
    ))}
  </SelectField>
)

/** Returns the rights that the form contains. @param phones null: all phones of the project */
export const rightsOf = (form: HTMLFormElement, phones: readonly string[] | null) => {
  const fields = new FormData(form)
  return {
    preset: fields.get('preset') as Preset,
    profile: fields.get('profile') as Profile,
    ...(fields.has('expires') && { expires: fields.get('expires') as Expiry }),
    ...(phones === null ? {} : { phones: [...phones] }),
  }
}

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
