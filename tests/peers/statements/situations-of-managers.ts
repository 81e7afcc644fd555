import type { Request, Situation, Tools } from './situation';
import { fileSource, host, inline, route, toA } from './situation';
import { managed, unchecked } from './situations-of-filters';

/** What users report of settings of the connection manager. */
export function situationsOfManagers(tools: Tools): Situation[] {
  const virtualHost = (more: object) => ({
    route_config: { name: 'inline', virtual_hosts: [{ ...host(route('/', 'a')), ...more }] },
  });
  const own = (headers: Readonly<Record<string, string>>): Request => ({
    ...{ ...toA, headers, isOfExplain: true },
  });
  const other = (headers: Readonly<Record<string, string>>): Request => ({
    ...{ listener: 'web', path: '/', headers, isOfExplain: true },
  });
  const shop = virtualHost({ domains: ['shop.example'] });
  const scoped = {
    scoped_routes: {
      name: 'scopes',
      scope_key_builder: {
        fragments: [{ header_value_extractor: { name: 'x-tenant', element_separator: ';', index: 0 } }],
      },
      rds_config_source: fileSource('/dev/null'),
      scoped_route_configurations_list: {
        scoped_route_configurations: [
          {
            ...{ name: 'one', key: { fragments: [{ string_key: 'one' }] } },
            route_configuration: { name: 'inline', virtual_hosts: [host(route('/', 'a'))] },
          },
        ],
      },
    },
  };
  const mapped = {
    ...unchecked(route('/', 'gone')),
    local_reply_config: {
      mappers: [
        {
          filter: {
            status_code_filter: {
              comparison: { op: 'EQ', value: { default_value: 503, runtime_key: 'none' } },
            },
          },
          status_code: 404,
        },
      ],
    },
  };
  return [
    managed(
      tools,
      'a domain without the port of the request, and ports are removed',
      { ...shop, strip_any_host_port: true },
      [own({ host: 'shop.example:8080' }), other({ host: 'other.example' })],
    ),
    managed(
      tools,
      'a domain without the port of the request, and ports are ignored',
      { route_config: { ...shop.route_config, ignore_port_in_host_matching: true } },
      [own({ host: 'shop.example:8080' })],
    ),
    managed(
      tools,
      'the codec of HTTP/2, and callers speak HTTP/1.1',
      {
        ...inline(route('/', 'a')),
        codec_type: 'HTTP2',
      },
      [{ listener: 'web', path: '/' }],
    ),
    managed(
      tools,
      'a virtual host that requires TLS, behind a proxy that has it',
      virtualHost({ require_tls: 'ALL' }),
      [own({ 'x-forwarded-proto': 'https' }), { listener: 'web', path: '/' }],
    ),
    managed(
      tools,
      'a virtual host that requires TLS of external callers',
      { ...virtualHost({ require_tls: 'EXTERNAL_ONLY' }), use_remote_address: true },
      [{ listener: 'web', path: '/' }],
    ),
    managed(
      tools,
      'a virtual host that requires TLS of external callers, and the caller is internal',
      {
        ...virtualHost({ require_tls: 'EXTERNAL_ONLY' }),
        use_remote_address: true,
        internal_address_config: { cidr_ranges: [{ address_prefix: '127.0.0.0', prefix_len: 8 }] },
      },
      [toA, other({ 'x-forwarded-for': '127.0.0.1' })],
    ),
    managed(tools, 'an upgrade that the connection manager does not allow', inline(route('/', 'a')), [
      other({ connection: 'upgrade', upgrade: 'websocket' }),
      toA,
    ]),
    managed(
      tools,
      'names of headers with underscores are rejected',
      {
        ...inline(route('/', 'a')),
        common_http_protocol_options: { headers_with_underscores_action: 'REJECT_REQUEST' },
      },
      [other({ x_version: '2' }), toA],
    ),
    managed(tools, 'scopes, none of which a request without the header has', scoped, [
      own({ 'x-tenant': 'one' }),
      other({ 'x-tenant': 'two' }),
      other({}),
    ]),
    managed(tools, 'a cluster that does not exist, and a mapper of local replies', mapped, [
      { ...toA, clusters: ['gone'] },
    ]),
    managed(
      tools,
      'a path with an escaped slash is rejected',
      { ...inline(route('/', 'a')), path_with_escaped_slashes_action: 'REJECT_REQUEST' },
      [
        { listener: 'web', path: '/a%2Fb', isOfExplain: true },
        { ...toA, path: '/a/b' },
      ],
    ),
  ];
}
