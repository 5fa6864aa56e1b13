/** /llms-install.md: how to add the tools to a client. */
export const installPage = (baseUrl: string): string => `# Connect an MCP client to Phonerack

Endpoint: \`${baseUrl}/mcp\` (Streamable HTTP, stateless). It needs the header \`Authorization: Bearer <API key>\`. To get a key, follow ${baseUrl}/setup.md.

Keep the key in the environment variable PHONERACK_API_KEY. Never print it, and never write it into a file that is committed.

## Claude Code

\`.mcp.json\` in the project:

\`\`\`json
{
  "mcpServers": {
    "phonerack": {
      "type": "http",
      "url": "${baseUrl}/mcp",
      "headers": { "Authorization": "Bearer \${PHONERACK_API_KEY}" }
    }
  }
}
\`\`\`

## Cursor

\`.cursor/mcp.json\`:

\`\`\`json
{
  "mcpServers": {
    "phonerack": {
      "url": "${baseUrl}/mcp",
      "headers": { "Authorization": "Bearer \${env:PHONERACK_API_KEY}" }
    }
  }
}
\`\`\`

## Codex

\`~/.codex/config.toml\`:

\`\`\`toml
[mcp_servers.phonerack]
url = "${baseUrl}/mcp"
bearer_token_env_var = "PHONERACK_API_KEY"
\`\`\`

## VS Code

\`.vscode/mcp.json\`:

\`\`\`json
{
  "inputs": [
    { "id": "phonerack-key", "type": "promptString", "description": "Phonerack API key", "password": true }
  ],
  "servers": {
    "phonerack": {
      "type": "http",
      "url": "${baseUrl}/mcp",
      "headers": { "Authorization": "Bearer \${input:phonerack-key}" }
    }
  }
}
\`\`\`

## Clients that start a program

\`phonerack mcp\` serves the same tools over stdin and stdout. It needs Node.js 20.19 or newer (24 recommended):

\`\`\`sh
npm install --global ${baseUrl}/packages/phonerack.tgz
phonerack login --base-url ${baseUrl}
\`\`\`

\`\`\`json
{ "mcpServers": { "phonerack": { "command": "phonerack", "args": ["mcp"] } } }
\`\`\`

\`login\` prints a code for an operator of the service, who sends a link with which a person allows it. With a key already, set PHONERACK_BASE_URL to ${baseUrl} and PHONERACK_API_KEY to the key in the environment of the client, instead of \`login\`.

## Libraries

This service serves its own packages, with their checksums in ${baseUrl}/packages/SHA256SUMS, which \`sha256sum -c --ignore-missing\` reads:

\`\`\`sh
npm install ${baseUrl}/packages/phonerack-sdk.tgz
pip install ${baseUrl}/packages/phonerack-python.tgz
\`\`\`

## Check

Call \`get_account\`. It costs nothing and shows the credit of the project.
`
