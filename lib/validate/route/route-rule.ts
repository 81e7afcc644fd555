import { LDS, RDS } from '../../xds/resource-type';
import type { Field } from '../field';
import type { Reactions } from '../reactions';
import { type CheckContext, type Report, type Rule, reportExceptFor } from '../rule';
import { routeConfigsOf, routesOf, virtualHostsOf } from './route-parts';

/** A rule about a route configuration, whether it is a resource or inlined in a listener (L15). */
export function ruleOfConfig(
  id: string,
  title: string,
  source: string,
  reactions: Reactions,
  check: (config: Field, report: Report, context: CheckContext) => void,
): Rule {
  return {
    id,
    title,
    types: [RDS.typeUrl, LDS.typeUrl],
    source,
    reactions,
    check(resource, report, context) {
      for (const { field, skippedBy } of routeConfigsOf(resource, context.typeUrl))
        check(field, reportExceptFor(report, skippedBy), context);
    },
  };
}

export function ruleOfHost(
  id: string,
  title: string,
  source: string,
  reactions: Reactions,
  check: (host: Field, report: Report) => void,
): Rule {
  return ruleOfConfig(id, title, source, reactions, (config, report) => {
    for (const host of virtualHostsOf(config)) check(host, report);
  });
}

/** A rule about every route. Its findings exclude the clients that drop the route. */
export function ruleOfRoute(
  id: string,
  title: string,
  source: string,
  reactions: Reactions,
  check: (route: Field, report: Report) => void,
): Rule {
  return ruleOfHost(id, title, source, reactions, (host, report) => {
    for (const { field, skippedBy } of routesOf(host)) check(field, reportExceptFor(report, skippedBy));
  });
}
