/** /setup.md: an agent gets an API key by following it; a person confirms in a browser. */
export const setupPage = (baseUrl: string): string => `# Get a Phonerack API key

These steps are for an agent in a terminal. A person confirms in a browser.

1. Start the setup. No key is needed.

   \`\`\`sh
   curl -s -X POST ${baseUrl}/v1/setup -H 'Content-Type: application/json' -d '{"client": "my agent"}'
   \`\`\`

   The answer has \`setup_token\` (a secret), \`user_code\`, \`verification_url\`, \`expires_in\` and \`interval\`. Keep \`setup_token\` in the variable SETUP_TOKEN.

2. Show \`user_code\` and \`verification_url\`, which explains the next steps, to the person. They enter the code in the console, if they are a member of a project, or give it to an operator, who approves it and sends a link. Ask the person to compare the code on the page, and to allow it.

3. Poll every \`interval\` seconds until \`status\` is \`approved\`. Store the answer in a file that only you can read, since it contains the key, and the key is delivered exactly once.

   \`\`\`sh
   umask 077
   curl -s -X POST ${baseUrl}/v1/setup/token -H 'Content-Type: application/json' \\
     -d "{\\"setup_token\\": \\"$SETUP_TOKEN\\"}" > phonerack-key.json
   \`\`\`

   While the person has not confirmed, \`status\` is \`pending\`. After \`setup_denied\`, \`setup_expired\` or \`setup_used\`, start again with step 1.

4. Put \`api_key\` into the environment variable PHONERACK_API_KEY and delete the file. Never print the key, paste it into a chat, or commit it.

5. Check it. This request costs nothing.

   \`\`\`sh
   curl -s ${baseUrl}/v1/account -H "Authorization: Bearer $PHONERACK_API_KEY"
   \`\`\`

   The key can create, use and park phones. It cannot delete them.

6. Connect your client: ${baseUrl}/llms-install.md. Then read ${baseUrl}/SKILL.md, and ask the person what they want to use a phone for.
`
