-- SPDX-License-Identifier: Apache-2.0
-- Health of every kind of Roadstead that has a status, for Argo CD.
local status = obj.status or {}
local ready, stalled
for _, condition in ipairs(status.conditions or {}) do
  if condition.type == "Ready" then
    ready = condition
  elseif condition.type == "Stalled" and condition.status == "True" then
    stalled = condition
  end
end
if obj.metadata.deletionTimestamp ~= nil then
  return {status = "Progressing", message = "The object is being deleted."}
end
if ready == nil then
  return {status = "Progressing", message = "No controller has processed this object yet."}
end
if ready.status == "Unknown" then
  return {status = "Progressing", message = ready.message}
end
if obj.metadata.generation ~= nil and status.observedGeneration ~= nil and status.observedGeneration ~= obj.metadata.generation then
  return {status = "Progressing", message = "The controller has not processed the present spec yet."}
end
if stalled ~= nil then
  return {status = "Degraded", message = stalled.message}
end
if ready.status == "True" then
  return {status = "Healthy", message = ready.message}
end
if ready.reason == "AwaitingApproval" then
  return {status = "Suspended", message = ready.message}
end
return {status = "Progressing", message = ready.message}
