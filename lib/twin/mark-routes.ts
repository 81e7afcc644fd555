import { isJsonObject, type JsonObject } from '../diff/json-object';
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
  const mark = (route: JsonObject, place: string): void => {
    const { metadata } = route;
    const known = isJsonObject(metadata) ? metadata : {};
    const filterMetadata = isJsonObject(known.filterMetadata) ? known.filterMetadata : {};
    count += 1;
    (route as MutableJson).metadata = {
      ...known,
      filterMetadata: { ...filterMetadata, [routeMark]: { virtualHost, route: place } },
    };
  };
  visitRoutes(host, path, mark);
  if (count === 0) return;
  rewriting.note(
    path,
    `metadata ${routeMark} added to ${count} ${count === 1 ? 'route' : 'routes'}`,
    'the access log states by it which route was chosen',
  );
}

/** Routes are in `routes`, and in the actions of a matcher tree: a Route or the routes of a RouteList. */
function visitRoutes(
  host: JsonObject,
  path: string,
  visit: (route: JsonObject, place: string) => void,
): void {
  const inList = (routes: unknown, place: string): void => {
    if (!Array.isArray(routes)) return;
    routes.forEach((route, index) => {
      if (isJsonObject(route)) visit(route, `${place}[${index}]`);
    });
  };
  inList(host.routes, joinPath(path, 'routes'));
  const inTree = (value: unknown, place: string): void => {
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        inTree(item, `${place}[${index}]`);
      });
    }
    if (!isJsonObject(value)) return;
    const type = String(value['@type']);
    if (type.endsWith('/envoy.config.route.v3.Route')) visit(value, place);
    else if (type.endsWith('/envoy.config.route.v3.RouteList'))
      inList(value.routes, joinPath(place, 'routes'));
    else for (const [key, member] of Object.entries(value)) inTree(member, joinPath(place, key));
  };
  inTree(host.matcher, joinPath(path, 'matcher'));
}
