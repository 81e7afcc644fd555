/** A sentence of a specification. */
export interface CheckSource {
  /** The title of its section. */
  readonly section: string;
  readonly sentence: string;
  readonly url: string;
}

const messages = 'https://www.envoyproxy.io/docs/envoy/latest/api-v3/service/discovery/v3/discovery.proto';
const protocol = 'https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol';

function ofProtocol(section: string, anchor: string, sentence: string): CheckSource {
  return { section, sentence, url: `${protocol}#${anchor}` };
}

const overview = (sentence: string) =>
  ofProtocol('Basic Protocol Overview', 'basic-protocol-overview', sentence);
const acknowledgement = (sentence: string) =>
  ofProtocol('ACK/NACK and resource type instance version', 'xds-ack-nack', sentence);
const sending = (sentence: string) =>
  ofProtocol('When to send an update', 'xds-protocol-resource-update', sentence);
const names = (sentence: string) =>
  ofProtocol('How the client specifies what resources to return', 'xds-protocol-resource-hints', sentence);
const grouping = (sentence: string) =>
  ofProtocol('Grouping Resources into Responses', 'grouping-resources-into-responses', sentence);
const deletion = (sentence: string) => ofProtocol('Deleting Resources', 'deleting-resources', sentence);
const existence = (sentence: string) =>
  ofProtocol(
    'Knowing When a Requested Resource Does Not Exist',
    'xds-protocol-resource-not-existed',
    sentence,
  );
const updates = (sentence: string) => ofProtocol('Resource updates', 'resource-updates', sentence);
const consistency = (sentence: string) =>
  ofProtocol(
    'Eventual consistency considerations',
    'xds-protocol-eventual-consistency-considerations',
    sentence,
  );
const incremental = (sentence: string) => ofProtocol('Incremental xDS', 'xds-protocol-delta', sentence);
const subscription = (sentence: string) =>
  ofProtocol('Subscribing to Resources', 'xds-protocol-delta-subscribe', sentence);
const unsubscription = (sentence: string) =>
  ofProtocol('Unsubscribing from Resources', 'xds-protocol-unsubscribe', sentence);

/** The sentences of the xDS transport protocol that state the rules. */
export const checkSources = {
  nonce: overview(
    'All server responses will contain a nonce, and all subsequent requests from the client must set the response_nonce field to the most recent nonce received from the server on that stream.',
  ),
  node: overview('Only the first request on a stream is guaranteed to carry the node identifier.'),
  firstNode: overview(
    'It is sufficient to only check the first message for the node identifier as a result.',
  ),
  nonceOfStream: overview(
    'Note that the nonce is valid only in the context of an individual xDS stream; it does not survive stream restarts.',
  ),
  version: acknowledgement('Whenever one resource of that type changes, the version is changed.'),
  laterAck: acknowledgement('After a NACK, an API update may succeed at a new version Y.'),
  ownVersion: acknowledgement(
    'When using the aggregated protocol variants, each resource type has its own version even though all resource types are being sent on the same stream.',
  ),
  reconnect: acknowledgement(
    'Servers may decide to optimize by not resending resources that the client had already seen on the previous stream, but only if they know that the client is not subscribing to a new resource that it was not previously subscribed to.',
  ),
  onChange: sending(
    'The management server should only send updates to the Envoy client when the resources in the DiscoveryResponse have changed.',
  ),
  needlessWork: sending(
    'If the management server provides the same set of resources rather than waiting for a change to occur, it will cause needless work on both the client and the management server, which could have a severe performance impact.',
  ),
  supply: names('The management server must supply the requested resources if they exist.'),
  unrequested: names(
    'The client will silently ignore any supplied resources that were not explicitly requested.',
  ),
  newNames: names(
    'When the client sends a new request that changes the set of resources being requested, the server must resend any newly requested resources, even if it previously sent those resources without having been asked for them and the resources have not changed since that time.',
  ),
  wildcard: names(
    'For Listener and Cluster resource types, there is also a “wildcard” subscription, which is triggered when subscribing to the special name “*”.',
  ),
  unsubscribesAll: names(
    'However, once the client does explicitly subscribe to a resource name (whether it be “*” or any other name), then this legacy semantic is no longer available; at that point, clearing the list of subscribed resources is interpretted as an unsubscription rather than as a subscription to “*”.',
  ),
  wholeState: grouping(
    'The server must include the complete state of the world, meaning that all resources of the relevant type that are needed by the client must be included, even if they did not change since the last response.',
  ),
  duplicates: ofProtocol(
    'Duplicate Resource Names',
    'duplicate-resource-names',
    'It is an error for a server to send a single response that contains the same resource name twice.',
  ),
  absence: deletion(
    'If a previously seen resource is not present in a new response, that indicates that the resource has been removed, and the client must delete it; a response containing no resources means to delete all resources of that type.',
  ),
  removed: deletion(
    'In the incremental protocol variants, the server signals the client that a resource should be deleted via the removed_resources field of the response.',
  ),
  remember: existence(
    'Management servers must remember the set of resources being requested by the client, and if one of those resources springs into existence later, the server must send an update to the client informing it of the new resource.',
  ),
  doesNotExist: existence(
    'When a resource subscribed to by a client does not exist, the server will send a DeltaDiscoveryResponse message that contains that resource’s name in the removed_resources field.',
  ),
  staleNonce: updates(
    'The management server should not send a DiscoveryResponse for any DiscoveryRequest that has a stale nonce.',
  ),
  makeBeforeBreak: consistency(
    'CDS updates (if any) must always be pushed first. EDS updates (if any) must arrive after CDS updates for the respective clusters.',
  ),
  warming: ofProtocol(
    'Resource warming',
    'xds-protocol-resource-warming',
    'Warming of Cluster is completed only when a new ClusterLoadAssignment response is supplied by management server even though there is no change in endpoints.',
  ),
  deltaNonce: incremental(
    'In the delta xDS wire protocol, the nonce field is required and used to pair a DeltaDiscoveryResponse to a DeltaDiscoveryRequest ACK or NACK.',
  ),
  onlyChanges: incremental(
    'Rather than deliver all 100k clusters when a single cluster is modified, the management server only needs to deliver the single cluster that changed.',
  ),
  staleSubscription: incremental(
    'The server must honor changes to the subscription state even if the nonce is stale.',
  ),
  knownVersions: incremental(
    'On reconnect the Incremental xDS client may tell the server of its known resources to avoid resending them over the network by sending them in initial_resource_versions.',
  ),
  forgotten: subscription(
    'However, the server must still provide those resources in the response; due to implementation details hidden from the server, the client may have “forgotten” those resources despite apparently remaining subscribed.',
  ),
  phantom: unsubscription(
    'The server must cleanly process such a request; it can simply ignore these phantom unsubscriptions.',
  ),
  lostInterest: unsubscription(
    'When a client loses interest in some resources, it will indicate that with the resource_names_unsubscribe field of a DeltaDiscoveryRequest.',
  ),
  besideWildcard: unsubscription(
    'The server must send a response that includes the specific resource in either the removed_resources field (if it is not included in the wildcard) or in the resources field (if it is included in the wildcard).',
  ),
  name: ofProtocol(
    'Resource names',
    'resource-names',
    'The resource name will be returned in the name field in the resource of a DeltaDiscoveryResponse.',
  ),
  heartbeat: ofProtocol(
    'TTL',
    'xds-protocol-ttl',
    'To allow for lightweight TTL updates (“heartbeats”), a response can be sent that provides a Resource with the resource unset and version matching the most recently sent version can be used to update the TTL.',
  ),
  variants: ofProtocol(
    'RPC Services and Methods for Each Variant',
    'rpc-services-and-methods-for-each-variant',
    'For the non-aggregated protocol variants, there is a separate RPC service for each resource type.',
  ),
  restUpdate: ofProtocol(
    'REST-JSON polling subscriptions',
    'rest-json-polling-subscriptions',
    'When the poll period is set to a small value, with the intention of long polling, then there is also a requirement to avoid sending a DiscoveryResponse unless a change to the underlying resources has occurred via a resource update.',
  ),
  nonceOfResponse: {
    section: 'discovery.proto: nonce',
    sentence:
      'For gRPC based subscriptions, the nonce provides a way to explicitly ack a specific DiscoveryResponse in a following DiscoveryRequest.',
    url: `${messages}#envoy-v3-api-field-service-discovery-v3-discoveryresponse-nonce`,
  },
  typeUrl: {
    section: 'discovery.proto: type_url',
    sentence:
      'This is implicit in requests made via singleton xDS APIs such as CDS, LDS, etc. but is required for ADS.',
    url: `${messages}#envoy-v3-api-field-service-discovery-v3-discoveryrequest-type-url`,
  },
  resourceErrors: {
    section: 'xDS proposal TP3: error propagation',
    sentence:
      'The xDS Management server is only expected to return the error message once rather than throughout for future responses.',
    url: 'https://github.com/cncf/xds/blob/main/proposals/TP3-xds-error-propagation.md#protocol-behavior',
  },
  pings: {
    section: 'gRFC A8: keepalive',
    sentence:
      'Servers need to respond to misbehaving clients by sending GOAWAY with error code ENHANCE_YOUR_CALM and additional debug data of ASCII “too_many_pings” followed by immediately closing the connection.',
    url: 'https://github.com/grpc/proposal/blob/master/A8-client-side-keepalive.md#server-enforcement',
  },
} as const;
