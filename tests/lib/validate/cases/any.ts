/** google.protobuf.Any in proto3 JSON. */
export function any(typeName: string, fields: object = {}): object {
  return { '@type': `type.googleapis.com/${typeName}`, ...fields };
}

export const routerType = 'envoy.extensions.filters.http.router.v3.Router';
export const router = any(routerType);
export const faultType = 'envoy.extensions.filters.http.fault.v3.HTTPFault';
export const fault = any(faultType, {
  delay: { fixedDelay: '1s', percentage: { numerator: 10 } },
});
export const rbacType = 'envoy.extensions.filters.http.rbac.v3.RBAC';
export const rbac = any(rbacType, {
  rules: { policies: { all: { permissions: [{ any: true }], principals: [{ any: true }] } } },
});
export const lua = any('envoy.extensions.filters.http.lua.v3.Lua');

/** Fields of a filter, a plugin or an override. */
export const optional = { isOptional: true };

export function typedStruct(typeName: string, value: object = {}, packageName = 'xds.type.v3'): object {
  return any(`${packageName}.TypedStruct`, { typeUrl: `type.googleapis.com/${typeName}`, value });
}
