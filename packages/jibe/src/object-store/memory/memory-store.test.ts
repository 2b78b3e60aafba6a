import { verifyObjectStore } from "../verify-object-store.ts";
import { memoryStore } from "./memory-store.ts";

verifyObjectStore("the memory store", async () => memoryStore(), { signedUrls: false });
