import type { Handshake } from "@jibe/go-plugin";

/** What Velero and its plugins agree on. */
export const veleroHandshake: Handshake = { cookieKey: "VELERO_PLUGIN", cookieValue: "hello", protocolVersion: 2 };

/** A host names in this variable the kinds it knows beyond Velero's, separated by commas. */
export const extraKindsVariable = "JIBE_PLUGIN_KINDS";

/** The kinds that real Velero does not know and refuses to see announced. */
export const extraKinds: readonly string[] = ["VolumeSnapshotterV2"];
