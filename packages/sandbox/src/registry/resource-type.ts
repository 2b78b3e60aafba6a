import type { KubeObject } from "../api/kube-object.ts";
import type { StructuralSchema } from "../schema/structural-schema.ts";

export interface Subresource {
  readonly name: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly group?: string;
  readonly version?: string;
}

/** What a custom resource's version adds to its type. */
export interface CustomVersion {
  readonly schema: StructuralSchema | undefined;
  readonly openAPIV3Schema: unknown;
  readonly hasStatus: boolean;
  readonly scale:
    | { readonly specReplicasPath: string; readonly statusReplicasPath: string; readonly labelSelectorPath?: string }
    | undefined;
  readonly printerColumns: readonly unknown[];
  readonly selectableFields: readonly string[];
  readonly storageApiVersion: string;
}

/** How the objects of a version differ from what is stored. */
export interface Conversion {
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

/** One type in one version, as discovery shows it. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
  readonly subresources: readonly Subresource[];
  /** Where its objects are kept: the same for all versions of a type. */
  readonly bucket: string;
  /** What everyone who uses this version hears. */
  readonly deprecationWarning?: string;
  /** Set where objects are stored in another form than this version shows. */
  readonly conversion?: Conversion;
  /** Set for custom resources only. */
  readonly custom?: CustomVersion;
}

export const apiVersionOf = ({ group, version }: { readonly group: string; readonly version: string }) =>
  group === "" ? version : `${group}/${version}`;

export const bucketOf = (group: string, plural: string) => (group === "" ? plural : `${plural}.${group}`);
