let known: string | undefined;

/** The time zone of exact times. On the server it is the server's. */
export function browserTimeZone(): string {
  known ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return known;
}
