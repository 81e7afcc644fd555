let known: string | undefined;

/** The zone in which this page states exact times. On the server: the server's. */
export function browserTimeZone(): string {
  known ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return known;
}
