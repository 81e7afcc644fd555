/**
 * Converts a path in the notations of clients to proto3 JSON:
 *
 *     api_listener.value[envoy...HttpConnectionManager].http_filters[0].name  ->  apiListener.httpFilters[0].name
 *     virtual_hosts[vh].routes[].match                                        ->  virtualHosts["vh"].routes[].match
 *
 * JSON has no step for the message in an Any, nor for the value of a wrapper.
 */
export function readReportedPath(reported: string): string {
  let path = '';
  for (const [, name, bracket] of reported.matchAll(/([^.[\]]+)|\[([^\]]*)\]/g)) {
    if (name !== undefined) {
      if (name === 'length') continue;
      const step = name === 'type_url' ? '@type' : camelOf(name);
      path += path === '' ? step : `.${step}`;
    } else if (bracket !== undefined) {
      if (/^\d*$/.test(bracket)) path += `[${bracket}]`;
      else if (path.endsWith('.value') && isMessageName(bracket)) path = path.slice(0, -'.value'.length);
      else path += `[${JSON.stringify(bracket.replace(/^"(.*)"$/, '$1'))}]`;
    }
  }
  return path;
}

function camelOf(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function isMessageName(text: string): boolean {
  return /^(?:\w+\.)+[A-Z]\w*$/.test(text);
}
