/** /llms.txt: an index for models, after llmstxt.org. */
export const overviewPage = (baseUrl: string): string => `# Phonerack

> Phonerack rents real Android phones to software agents: read the screen as numbered elements, tap and type, install apps, record, and hand over to a person. Billed per second while a phone runs.

An agent uses the tools at ${baseUrl}/mcp (MCP, Streamable HTTP) or the REST API at ${baseUrl}/v1, with the same API key.

## Start

- [Set up](${baseUrl}/setup.md): get an API key from a terminal
- [Connect](${baseUrl}/llms-install.md): add the tools to Claude Code, Cursor, Codex or VS Code
- [Skill](${baseUrl}/SKILL.md): how to work with a phone

## Reference

- [OpenAPI](${baseUrl}/openapi.json): every request, with its errors
- [Everything in one file](${baseUrl}/llms-full.txt): guide, recipes, clients and reference as Markdown
- [Documentation](${baseUrl}/docs): guide, recipes and API reference for people; each page is Markdown with the ending \`.md\`
- [Errors](${baseUrl}/docs/reference/errors): every error code, and what to do
`
