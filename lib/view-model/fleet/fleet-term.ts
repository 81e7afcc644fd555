/** `zone=eu-1`, `agent="gRPC Go"`; `zone=""` for which source reports none: what parseFleetFilter() reads. */
export function fleetTerm(field: string, value: string): string {
  const key = /\s/.test(field) ? field.replace(/^(meta\.)(.*)$/s, '$1"$2"') : field;
  return `${key}=${value === '' || /\s/.test(value) ? `"${value}"` : value}`;
}
