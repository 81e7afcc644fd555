/** The most important level is first. */
export const logLevels = ['error', 'warn', 'info'] as const;
export type LogLevel = (typeof logLevels)[number];

export const logFormats = ['text', 'json'] as const;
export type LogFormat = (typeof logFormats)[number];

/**
 * The level is set in the environment, because each thread and the bundle of the pages have a copy of this module, and
 * all of them inherit the environment.
 */
export function configureLog({
  level,
  format,
}: {
  readonly level: LogLevel;
  readonly format: LogFormat;
}): void {
  process.env.XDSCOPE_LOG_LEVEL = level;
  process.env.XDSCOPE_LOG_FORMAT = format;
}

/**
 * Writes one line to stderr: "xdscope: message", or a JSON object with time (ISO 8601), level, component and message.
 * `component` names the part of the process that reports, as in "recorder". Secrets are redacted by redactOutput().
 */
export function log(level: LogLevel, component: string, message: string): void {
  const { XDSCOPE_LOG_LEVEL: limit = 'info', XDSCOPE_LOG_FORMAT: format } = process.env;
  if (logLevels.indexOf(level) > logLevels.indexOf(limit as LogLevel)) return;
  const line =
    format === 'json'
      ? JSON.stringify({ time: new Date().toISOString(), level, component, message })
      : `xdscope: ${message}`;
  process.stderr.write(`${line}\n`);
}
