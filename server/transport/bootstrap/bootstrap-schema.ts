import * as z from 'zod';
import { envoyTransports } from './envoy-bootstrap';

/**
 * The JSON of a gRPC xDS bootstrap file (gRFC A27 and its successors). As in gRPC, unknown fields are ignored and null is
 * the same as an absent field. The readers check the values.
 */
const text = z.string().nullish();
const credentials = z.object({ type: z.string(), config: z.unknown().optional() });
export type CredentialsEntry = z.infer<typeof credentials>;

const xdsServer = z.object({
  server_uri: z.string().min(1),
  channel_creds: z.array(credentials).min(1),
  call_creds: z.array(credentials).nullish(),
  server_features: z.array(z.string()).nullish(),
  /** The SNI that a bootstrap of Envoy states, if the certificate of the server does not have the name of the target. */
  xdscope_server_name: text,
});
export type ServerEntry = z.infer<typeof xdsServer>;

const nodeSchema = z.object({
  id: text,
  cluster: text,
  metadata: z.record(z.string(), z.unknown()).nullish(),
  locality: z.object({ region: text, zone: text, sub_zone: text }).nullish(),
});

const authority = z.object({
  client_listener_resource_name_template: text,
  xds_servers: z.array(xdsServer).nullish(),
  fallback_on_reachability_only: z.boolean().nullish(),
});
export type AuthorityEntry = z.infer<typeof authority>;

const certificateProvider = z.object({ plugin_name: z.string().min(1), config: z.unknown().optional() });
export type CertificateProviderEntry = z.infer<typeof certificateProvider>;

const allowedService = z.object({
  channel_creds: z.array(credentials).min(1),
  call_creds: z.array(credentials).nullish(),
});

export const bootstrapSchema = z.object({
  xds_servers: z.array(xdsServer).min(1),
  node: nodeSchema.nullish(),
  authorities: z.record(z.string(), authority).nullish(),
  certificate_providers: z.record(z.string(), certificateProvider).nullish(),
  client_default_listener_resource_name_template: text,
  server_listener_resource_name_template: text,
  allowed_grpc_services: z.record(z.string(), allowedService).nullish(),
  /** The way in which an Envoy subscribes, by its bootstrap. gRPC clients have only one way. */
  xdscope_transport: z.enum(envoyTransports).nullish(),
});
export type BootstrapFile = z.infer<typeof bootstrapSchema>;

/** The fields that describe the client itself. */
export const bootstrapClientSchema = z.object({
  node: nodeSchema,
  xdscope_transport: bootstrapSchema.shape.xdscope_transport,
});

/** Files of `tls` channel credentials (gRFC A65), and of the file_watcher certificate provider (gRFC A29, A87). */
export const certificateFilesSchema = z.object({
  certificate_file: text,
  private_key_file: text,
  ca_certificate_file: text,
  spiffe_trust_bundle_map_file: text,
  refresh_interval: text,
});
export type CertificateFilesEntry = z.infer<typeof certificateFilesSchema>;

/** PEM that stands in a bootstrap of Envoy itself. */
const certificatesSchema = z.object({
  xdscope_ca_certificate: text,
  xdscope_certificate: text,
  xdscope_private_key: text,
});

/** `config` of `tls` channel credentials. */
export const tlsSchema = certificateFilesSchema.extend(certificatesSchema.shape);
export type TlsEntry = z.infer<typeof tlsSchema>;

/** `config` of request_header call credentials, which are Envoy's metadata: a value, or a file with it. */
export const requestHeaderSchema = z.union([
  z.object({ name: z.string(), value: z.string() }),
  z.object({ name: z.string(), file: z.string() }),
]);

/** `config` of jwt_token_file call credentials (gRFC A97). */
export const jwtTokenFileSchema = z.object({ jwt_token_file: z.string().min(1) });
