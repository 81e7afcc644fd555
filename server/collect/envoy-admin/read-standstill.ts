/** The statistics that show that an Envoy serves no request, whatever its config is. */
export const standstillStatistics = [
  String.raw`^server\.state$`,
  String.raw`^listener_manager\.(?:listener_stopped|total_listeners_active)$`,
  String.raw`^overload\.envoy\.overload_actions\.stop_accepting_(?:requests|connections)\.active$`,
];

const overload = 'overload.envoy.overload_actions.stop_accepting_';

/** Returns why the Envoy serves no request, as a sentence; undefined: no statistic shows that it does not. */
export function readStandstill(values: ReadonlyMap<string, number>): string | undefined {
  const read = (name: string): number => values.get(name) ?? 0;
  // envoy.admin.v3.ServerInfo.State: PRE_INITIALIZING is 2, INITIALIZING is 3. The workers start behind them.
  if (read('server.state') >= 2)
    return 'Envoy is still initializing, and accepts no connection before it has what it waits for';
  if (read(`${overload}connections.active`) > 0)
    return 'the overload manager stops connections (stop_accepting_connections): Envoy accepts no new one';
  if (read(`${overload}requests.active`) > 0)
    return 'the overload manager stops requests (stop_accepting_requests): Envoy answers each with 503';
  // A listener that was stopped by the admin interface stays among the active ones.
  const stopped = read('listener_manager.listener_stopped');
  if (stopped > 0 && stopped >= read('listener_manager.total_listeners_active'))
    return 'the listeners were stopped, as by /drain_listeners: Envoy accepts no new connection';
  return undefined;
}
