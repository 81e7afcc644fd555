import { isJsonObject, type JsonObject } from '../diff/json-object';
import { matcherRoutesOf } from '../model/matcher-routes';
import { joinPath } from './field-path';
import type { Rewriting } from './rewriting';
import { type MutableJson, routeMark } from './twin';

/** Adds metadata to the routes of a RouteConfiguration, by which the access log states the chosen one. */
export function markRouteTable(table: JsonObject, path: string, rewriting: Rewriting): void {
  const hosts = Array.isArray(table.virtualHosts) ? table.virtualHosts : [];
  hosts.forEach((host, index) => {
    if (isJsonObject(host)) markVirtualHost(host, joinPath(path, `virtualHosts[${index}]`), rewriting);
  });
}

export function markVirtualHost(host: JsonObject, path: string, rewriting: Rewriting): void {
  // A gRPC client has no access log.
  if (rewriting.parts.options.client === 'grpc') return;
  const virtualHost = String(host.name ?? '');
  let count = 0;
  const tree = matcherRoutesOf(host.matcher, joinPath(path, 'matcher'));
  for (const { route, place } of [...listedRoutes(host, path), ...tree]) {
    const { metadata } = route;
    const known = isJsonObject(metadata) ? metadata : {};
    const filterMetadata = isJsonObject(known.filterMetadata) ? known.filterMetadata : {};
    count += 1;
    (route as MutableJson).metadata = {
      ...known,
      filterMetadata: { ...filterMetadata, [routeMark]: { virtualHost, route: place } },
    };
  }
  if (count === 0) return;
  rewriting.note(
    path,
    `metadata ${routeMark} added to ${count} ${count === 1 ? 'route' : 'routes'}`,
    'the access log states by it which route was chosen',
  );
}

function listedRoutes({ routes }: JsonObject, path: string) {
  const list: readonly unknown[] = Array.isArray(routes) ? routes : [];
  return list.flatMap((route, index) =>
    isJsonObject(route) ? [{ route, place: joinPath(path, `routes[${index}]`) }] : [],
  );
}
