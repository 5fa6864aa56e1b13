/** Describes requests in a few words, for lists that people read. */

const ofPhone: Readonly<Record<string, string>> = {
  'DELETE ': 'Delete the phone',
  'PATCH ': 'Change name or metadata',
  'POST /start': 'Start the phone',
  'POST /park': 'Park the phone',
  'POST /reboot': 'Reboot the phone',
  'POST /reset': 'Reset the phone',
  'POST /heartbeat': 'Keep the phone running',
  'POST /live': 'Create a live link',
  'POST /actions': 'Run actions',
  'POST /shell': 'Run a shell command',
  'POST /handoffs': 'Ask a person for help',
  'DELETE /handoffs/:': 'Withdraw a hand-over',
  'POST /control': 'Take over the phone',
  'POST /control/:/end': 'Hand the phone back',
  'POST /apps': 'Install an app',
  'POST /installs': 'Install an app',
  'DELETE /apps/:': 'Uninstall an app',
  'POST /apps/:/permissions': 'Change permissions of an app',
  'POST /recordings': 'Start a recording',
  'POST /recordings/:/stop': 'Stop a recording',
  'DELETE /recordings/:': 'Delete a recording',
  'PUT /files': 'Write a file',
  'DELETE /files': 'Delete a file',
  'PUT /clipboard': 'Set the clipboard',
  'PUT /location': 'Set the location',
  'DELETE /location': 'Clear the location',
  'PUT /timezone': 'Set the time zone',
  'PUT /locale': 'Set the locale',
  'POST /notifications/:/open': 'Open a notification',
  'POST /notifications/:/dismiss': 'Dismiss a notification',
}

const ofProject: Readonly<Record<string, string>> = {
  'POST /phones': 'Create a phone',
  'POST /webhooks': 'Create a webhook',
  'PATCH /webhooks/:': 'Change a webhook',
  'PUT /webhooks/:/enabled': 'Switch a webhook on or off',
  'DELETE /webhooks/:': 'Delete a webhook',
  'POST /webhooks/:/rotate': 'Rotate the secret of a webhook',
  'POST /webhooks/:/test': 'Send a test event',
  'POST /webhooks/:/deliveries/:/retry': 'Send a delivery again',
  'POST /uploads': 'Upload an app',
  'POST /apps/uploads': 'Create an upload',
  'POST /apps/uploads/:/complete': 'Complete an upload',
  'DELETE /apps/uploads/:': 'Delete an upload',
  'POST /credits/checkout': 'Create a link to buy credit',
}

const texts = new Map([
  ...Object.entries(ofProject),
  ...Object.entries(ofPhone).map(([at, text]) => [at.replace(' ', ' /phones/:'), text] as const),
])

/**
 * @param route with its parameters, of `/v1` or of a project in the console. A route that a later version
 * removed is shown as its path.
 */
export function activityText(method: string, route: string): string {
  const path = route.replace(/^(\/v1|\/console\/api\/projects\/:project)(?=\/)/, '').replaceAll(/:\w+/g, ':')
  return texts.get(`${method} ${path}`) ?? `${method} ${route}`
}
