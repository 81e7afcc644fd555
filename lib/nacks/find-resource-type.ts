import { type ResourceType, resourceTypes } from '../xds/resource-type';

/** Finds a type by the last part of its message name: "Cluster", "ClusterLoadAssignment". */
export function findResourceTypeOfMessage(message: string): ResourceType | undefined {
  return resourceTypes.find(({ typeUrl }) => typeUrl.endsWith(`.${message}`));
}

/** Finds a type by its service: "CDS". */
export function findResourceTypeOfService(service: string): ResourceType | undefined {
  return resourceTypes.find((type) => type.service === service);
}
